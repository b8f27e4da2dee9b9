have step : ∀ m, x (m + 5) = x (m + 4) - x (m + 3) + x (m + 2) - x (m + 1) := by
  intro m
  exact h₆ (m + 5) (by omega)
have negate : ∀ m, x (m + 6) = - x (m + 1) := by
  intro m
  have one := step m
  have two : x (m + 6) = x (m + 5) - x (m + 4) + x (m + 3) - x (m + 2) := step (m + 1)
  omega
have five : x 5 = x 4 - x 3 + x 2 - x 1 := step 0
have period : ∀ k, x (10 * k + 1) = 211 ∧ x (10 * k + 3) = 420 ∧ x (10 * k + 5) = 267 := by
  intro k
  induction k with
  | zero => exact ⟨h₀, h₃, show x 5 = 267 by omega⟩
  | succ k ih =>
    have a1 : x (10 * k + 11) = - x (10 * k + 6) := negate (10 * k + 5)
    have a2 : x (10 * k + 6) = - x (10 * k + 1) := negate (10 * k)
    have b1 : x (10 * k + 13) = - x (10 * k + 8) := negate (10 * k + 7)
    have b2 : x (10 * k + 8) = - x (10 * k + 3) := negate (10 * k + 2)
    have c1 : x (10 * k + 15) = - x (10 * k + 10) := negate (10 * k + 9)
    have c2 : x (10 * k + 10) = - x (10 * k + 5) := negate (10 * k + 4)
    rw [show 10 * (k + 1) + 1 = 10 * k + 11 by omega, show 10 * (k + 1) + 3 = 10 * k + 13 by omega,
      show 10 * (k + 1) + 5 = 10 * k + 15 by omega]
    omega
have a : x 531 = 211 := (period 53).1
have b : x 753 = 420 := (period 75).2.1
have c : x 975 = 267 := (period 97).2.2
omega
