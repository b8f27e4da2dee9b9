have a0 : f 1 0 = f 0 1 := h₁ 0
have a1 : ∀ y, f 1 (y + 1) = f 0 (f 1 y) := h₂ 0
have b0 : f 2 0 = f 1 1 := h₁ 1
have b1 : ∀ y, f 2 (y + 1) = f 1 (f 2 y) := h₂ 1
have c0 : f 3 0 = f 2 1 := h₁ 2
have c1 : ∀ y, f 3 (y + 1) = f 2 (f 3 y) := h₂ 2
have d0 : f 4 0 = f 3 1 := h₁ 3
have d1 : ∀ y, f 4 (y + 1) = f 3 (f 4 y) := h₂ 3
have one : ∀ y, f 1 y = y + 2 := by
  intro y
  induction y with
  | zero =>
    have p := h₀ 1
    omega
  | succ y ih =>
    have p := a1 y
    have q := h₀ (f 1 y)
    omega
have two : ∀ y, f 2 y = 2 * y + 3 := by
  intro y
  induction y with
  | zero =>
    have p := one 1
    omega
  | succ y ih =>
    have p := b1 y
    have q := one (f 2 y)
    omega
have three : ∀ y, f 3 y + 3 = 2 ^ (y + 3) := by
  intro y
  induction y with
  | zero =>
    have p := two 1
    show f 3 0 + 3 = 8
    omega
  | succ y ih =>
    have p := c1 y
    have q := two (f 3 y)
    rw [show y + 1 + 3 = y + 3 + 1 by omega, Nat.pow_succ]
    generalize 2 ^ (y + 3) = t at ih ⊢
    omega
have g1 : g 1 = 4 := by
  have p := h₄ 0
  rw [h₃] at p
  exact p
have g2 : g 2 = 16 := by
  have p := h₄ 1
  rw [g1] at p
  exact p
have four : ∀ y, f 4 y + 3 = g (y + 2) := by
  intro y
  induction y with
  | zero =>
    have p : f 3 1 + 3 = 16 := three 1
    show f 4 0 + 3 = g 2
    omega
  | succ y ih =>
    have p : g (y + 1 + 2) = 2 ^ g (y + 2) := h₄ (y + 2)
    rw [d1, three, p, ih]
have last : f 4 1981 + 3 = g 1983 := four 1981
omega
