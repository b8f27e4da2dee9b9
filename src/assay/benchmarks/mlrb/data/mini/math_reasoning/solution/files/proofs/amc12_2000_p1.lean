have small : ∀ q, q < 32 → ∀ r, r < 64 → 64 * q + r ∣ 2001 →
    64 * q + r ∈ [1, 3, 23, 29, 69, 87, 667, 2001] := by decide +kernel
have cases : ∀ d, d ∣ 2001 → d = 1 ∨ d = 3 ∨ d = 23 ∨ d = 29 ∨ d = 69 ∨ d = 87 ∨ d = 667 ∨ d = 2001 := by
  intro d hd
  have top := Nat.le_of_dvd (by decide) hd
  have found := small (d / 64) (by omega) (d % 64) (by omega)
  rw [Nat.div_add_mod] at found
  simpa using found hd
have di : i ∣ 2001 := ⟨m * o, by rw [← h₁, Nat.mul_assoc]⟩
have dm : m ∣ 2001 := ⟨i * o, by rw [← h₁]; ac_rfl⟩
rcases cases i di with h | h | h | h | h | h | h | h <;>
  rcases cases m dm with g | g | g | g | g | g | g | g <;> rw [h, g] at h₁ <;> omega
