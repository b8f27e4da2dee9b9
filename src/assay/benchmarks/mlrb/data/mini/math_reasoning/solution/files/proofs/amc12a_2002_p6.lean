exact ⟨n + 1, by omega, 0, by omega⟩
