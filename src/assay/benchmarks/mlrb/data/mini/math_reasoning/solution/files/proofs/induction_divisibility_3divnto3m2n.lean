apply Nat.dvd_of_mod_eq_zero
have three : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
rcases three with h | h | h <;> simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]
