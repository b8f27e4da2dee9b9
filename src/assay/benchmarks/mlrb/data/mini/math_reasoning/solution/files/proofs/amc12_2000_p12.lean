have all : ∀ a, a < 13 → ∀ m, m < 13 → a + m ≤ 12 →
    a * m * (12 - a - m) + a * m + m * (12 - a - m) + a * (12 - a - m) ≤ 112 := by decide +kernel
have c_is : c = 12 - a - m := by omega
subst c_is
exact all a (by omega) m (by omega) (by omega)
