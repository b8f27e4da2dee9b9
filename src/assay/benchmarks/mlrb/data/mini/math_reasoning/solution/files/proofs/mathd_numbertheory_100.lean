have product := Nat.gcd_mul_lcm n 40
rw [h₁, h₂] at product
omega
