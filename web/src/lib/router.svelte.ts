/** Where the explorer is: a path and its parameters behind the `#`, so that one address serves every page. */
export interface Place {
  /** The parts of the path: `["serial", "eb-1"]`. */
  path: string[];
  query: URLSearchParams;
}

function read(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

let place = $state.raw(read());

addEventListener("hashchange", () => {
  place = read();
});

/** The present place; reading it in a component follows it. */
export function here(): Place {
  return place;
}

/** The address of a page, to be used in `href`. */
export function link(path: string[], query: Record<string, string | null | undefined> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = given.length ? `?${new URLSearchParams(given)}` : "";
  return `#/${path.map(encodeURIComponent).join("/")}${text}`;
}

/** Opens a page. */
export function go(path: string[], query: Record<string, string | null | undefined> = {}): void {
  location.hash = link(path, query);
}

/** Changes the parameters of the present page without a new entry in the history. */
export function replaceQuery(query: Record<string, string | null | undefined>): void {
  history.replaceState(null, "", link(place.path, query));
  place = read();
}
