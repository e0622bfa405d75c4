/** Queries that were run or kept, in this browser. Neither results nor anything secret is stored. */
export interface Kept {
  query: string;
  binds: Record<string, string>;
  at: string;
  name?: string;
}

const HISTORY = "tracewright.aql.history";
const SAVED = "tracewright.aql.saved";
const LONGEST = 50;

function read(place: string): Kept[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    return Array.isArray(stored) ? (stored as Kept[]) : [];
  } catch {
    return [];
  }
}

class Shelf {
  history = $state.raw(read(HISTORY));
  saved = $state.raw(read(SAVED));

  /** Remembers a query that was run; the same one moves to the front. */
  remember(query: string, binds: Record<string, string>): void {
    this.history = [{ query, binds, at: new Date().toISOString() }, ...this.history.filter((kept) => kept.query !== query)].slice(0, LONGEST);
    localStorage.setItem(HISTORY, JSON.stringify(this.history));
  }

  /** Keeps a query under a name, in place of an earlier one of that name. */
  keep(name: string, query: string, binds: Record<string, string>): void {
    this.saved = [{ name, query, binds, at: new Date().toISOString() }, ...this.saved.filter((kept) => kept.name !== name)];
    localStorage.setItem(SAVED, JSON.stringify(this.saved));
  }

  drop(name: string): void {
    this.saved = this.saved.filter((kept) => kept.name !== name);
    localStorage.setItem(SAVED, JSON.stringify(this.saved));
  }
}

export const shelf = new Shelf();
