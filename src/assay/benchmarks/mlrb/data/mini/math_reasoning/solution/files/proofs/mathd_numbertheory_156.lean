have left : Nat.gcd (n + 7) (2 * n + 1) ∣ 2 * (n + 7) :=
  Nat.dvd_trans (Nat.gcd_dvd_left _ _) (Nat.dvd_mul_left _ _)
have right := Nat.gcd_dvd_right (n + 7) (2 * n + 1)
rw [show 2 * (n + 7) = 2 * n + 1 + 13 by omega] at left
exact Nat.le_of_dvd (by decide) ((Nat.dvd_add_right right).1 left)
