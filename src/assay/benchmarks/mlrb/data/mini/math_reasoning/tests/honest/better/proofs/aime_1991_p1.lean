have a : x * 1 ≤ x * y := Nat.mul_le_mul_left x h₀.2
have b : 1 * y ≤ x * y := Nat.mul_le_mul_right y h₀.1
have all : ∀ x, x < 36 → ∀ y, y < 36 → x * y + (x + y) = 71 → x ^ 2 * y + x * y ^ 2 = 880 →
    x ^ 2 + y ^ 2 = 146 := by decide +kernel
exact all x (by omega) y (by omega) h₁ h₂
