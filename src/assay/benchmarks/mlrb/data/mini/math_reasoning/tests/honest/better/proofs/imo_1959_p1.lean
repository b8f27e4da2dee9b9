have one := Nat.gcd_dvd_left (21*n + 4) (14*n + 3)
have two := Nat.gcd_dvd_right (21*n + 4) (14*n + 3)
have left : Nat.gcd (21*n + 4) (14*n + 3) ∣ 2 * (21*n + 4) := Nat.dvd_trans one (Nat.dvd_mul_left _ _)
have right : Nat.gcd (21*n + 4) (14*n + 3) ∣ 3 * (14*n + 3) := Nat.dvd_trans two (Nat.dvd_mul_left _ _)
rw [show 3 * (14*n + 3) = 2 * (21*n + 4) + 1 by omega] at right
exact Nat.dvd_one.1 ((Nat.dvd_add_right left).1 right)
