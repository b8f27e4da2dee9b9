exact ⟨x ^ 2 + y ^ 2 + z ^ 2 - x * y - y * z - z * x, by grind⟩
