have product := Nat.gcd_mul_lcm 120 b
rw [h₀, h₁] at product
omega
