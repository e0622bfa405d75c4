/** Light, dark, or as the system says. */
export type Theme = "system" | "light" | "dark";

const STORED = "tracewright.theme";
let now = $state<Theme>(read());
apply();

function read(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function apply(): void {
  if (now === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
}

export function theme(): Theme {
  return now;
}

export function dress(next: Theme): void {
  now = next;
  if (next === "system") localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, next);
  apply();
}
