have product := Nat.gcd_mul_lcm m n
rw [h₀, h₁] at product
have six : 6 ∣ m := h₀ ▸ Nat.gcd_dvd_left m n
have all : ∀ m, m < 127 → m ∣ 126 → 6 ∣ m → m = 6 ∨ m = 18 ∨ m = 42 ∨ m = 126 := by decide +kernel
have dm : m ∣ 126 := h₁ ▸ Nat.dvd_lcm_left m n
have top := Nat.le_of_dvd (by decide) dm
rcases all m (by omega) dm six with rfl | rfl | rfl | rfl <;> omega
