/** The texts of the explorer, one file a language. A component never holds a text of its own. */
import en from "./en.json";
import it from "./it.json";

/** The name of a text. */
export type Text = keyof typeof en;
export type Language = "en" | "it";

/** Every language with the name it gives itself. */
export const LANGUAGES: Record<Language, string> = { en: "English", it: "Italiano" };

const texts: Record<Language, Record<Text, string>> = { en, it };
const STORED = "tracewright.language";

function chosen(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages.map((name) => name.slice(0, 2))];
  return wanted.find((name): name is Language => name !== null && name in texts) ?? "en";
}

let now = $state<Language>(chosen());

export function language(): Language {
  return now;
}

/** Speaks another language from now on, also at the next visit. */
export function speak(next: Language): void {
  now = next;
  localStorage.setItem(STORED, next);
  document.documentElement.lang = next;
}

type Values = Record<string, string | number>;

/** A text, with `{name}` filled in. */
export function t(name: Text, values: Values = {}): string {
  return texts[now][name].replace(/\{(\w+)\}/g, (whole, key: string) => {
    const value = values[key];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}

/** The names of the texts that are told apart by a number: `x.one` and `x.other`. */
export type Counted = { [Name in Text]: Name extends `${infer Stem}.other` ? Stem : never }[Text];

/** A text that counts something. */
export function counted(name: Counted, n: number, values: Values = {}): string {
  const form = new Intl.PluralRules(now).select(n) === "one" ? "one" : "other";
  return t(`${name}.${form}` as Text, { n, ...values });
}

/** A text for a word the service uses (`in_stock`), or the word itself when the languages do not know it. */
export function word(group: string, value: string | null | undefined): string {
  if (!value) return t("none");
  const name = `${group}.${value}`;
  return name in texts.en ? t(name as Text) : value;
}

/** A number as the language writes it. */
export function number(value: number): string {
  return new Intl.NumberFormat(now, { maximumFractionDigits: 3 }).format(value);
}

document.documentElement.lang = now;
