import { language } from "../lang/index.svelte";

/** The browser's own variant of the chosen language: British and American dates differ. */
function locale(): string {
  return navigator.languages.find((name) => name.startsWith(language())) ?? language();
}

/** A stored moment; one without a zone is UTC, as everywhere in the service. */
export function moment(text: string | null | undefined): Date | null {
  if (!text) return null;
  const date = new Date(/T.*(Z|[+-]\d\d:?\d\d)$|^\d{4}-\d\d-\d\d$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Date and time in the browser's zone, with the zone. */
export function full(date: Date): string {
  return new Intl.DateTimeFormat(locale(), {
    year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  }).format(date);
}

/** A day in the browser's zone. */
export function day(date: Date): string {
  return new Intl.DateTimeFormat(locale(), { year: "numeric", month: "short", day: "2-digit" }).format(date);
}

/** The browser's zone by its name: `Europe/Rome`. */
export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
