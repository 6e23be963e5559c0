/** Light or dark: what the system prefers until somebody chooses. The choice is of the person, not of the link. */
import { computed, effect, signal } from "@preact/signals";

export type Theme = "light" | "dark";
const KEY = "heddle-theme";

const chosen = signal<Theme | null>(null);
const preferred = signal<Theme>("light");
export const theme = computed<Theme>(() => chosen.value ?? preferred.value);

export function toggleTheme(): void {
  chosen.value = theme.value === "light" ? "dark" : "light";
  try {
    localStorage.setItem(KEY, chosen.value);
  } catch {
    // A browser that keeps nothing still changes the theme.
  }
}

export function startTheme(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    preferred.value = dark.matches ? "dark" : "light";
  };
  follow();
  dark.addEventListener("change", follow);
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === "light" || kept === "dark") chosen.value = kept;
  } catch {
    // Likewise.
  }
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}
