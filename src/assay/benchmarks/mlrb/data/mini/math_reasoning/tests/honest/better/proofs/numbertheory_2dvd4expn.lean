obtain ⟨m, hm⟩ : ∃ m, n = m + 1 := ⟨n - 1, by omega⟩
rw [hm, Nat.pow_succ]
generalize 4 ^ m = t
omega
