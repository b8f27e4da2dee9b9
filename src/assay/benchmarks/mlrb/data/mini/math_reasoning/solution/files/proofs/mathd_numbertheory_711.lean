have product := Nat.gcd_mul_lcm m n
rw [h₁, h₂] at product
have eight : 8 ∣ m := h₁ ▸ Nat.gcd_dvd_left m n
have all : ∀ m, m < 113 → m ∣ 112 → 8 ∣ m → m = 8 ∨ m = 16 ∨ m = 56 ∨ m = 112 := by decide +kernel
have dm : m ∣ 112 := h₂ ▸ Nat.dvd_lcm_left m n
have top := Nat.le_of_dvd (by decide) dm
rcases all m (by omega) dm eight with rfl | rfl | rfl | rfl <;> omega
