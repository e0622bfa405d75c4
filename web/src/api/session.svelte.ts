/** Who is logged in. The token lives in this tab's session storage and in memory; tabs of the same browser hand it to each other. */
export interface Session {
  token: string;
  userKey: string;
  sessionKey: string;
  name: string;
  scopes: string[];
}

const STORED = "tracewright.session";
/** How long a new tab waits for one that is logged in. */
const WAIT_MS = 150;

type Word = { kind: "who" } | { kind: "here"; session: Session } | { kind: "over" };

let session = $state.raw<Session | null>(stored());
let ended = $state(false);
const tabs = new BroadcastChannel("tracewright.session");

function stored(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "null") as Session | null;
  } catch {
    return null;
  }
}

function keep(next: Session | null): void {
  session = next;
  if (next) sessionStorage.setItem(STORED, JSON.stringify(next));
  else sessionStorage.removeItem(STORED);
}

tabs.onmessage = ({ data }: MessageEvent<Word>) => {
  if (data.kind === "who" && session) tabs.postMessage({ kind: "here", session: $state.snapshot(session) } satisfies Word);
  if (data.kind === "here" && !session) keep(data.session);
  if (data.kind === "over" && session) keep(null);
};

/** The session of this tab. */
export function current(): Session | null {
  return session;
}

/** Whether the last session was ended by the service, which the login page then says. */
export function wasEnded(): boolean {
  return ended;
}

/** Whether the caller may do what a fine scope stands for. */
export function may(scope: string): boolean {
  return session?.scopes.includes(scope) ?? false;
}

/** Asks the other tabs for their session. */
export async function askTabs(): Promise<void> {
  if (session) return;
  tabs.postMessage({ kind: "who" } satisfies Word);
  await new Promise((done) => setTimeout(done, WAIT_MS));
}

/** Begins a session. */
export function begin(next: Session): void {
  ended = false;
  keep(next);
}

/** Ends it: by the person, in all tabs, or because the service no longer takes the token, in this one. */
export function end(by: "person" | "service"): void {
  if (!session) return;
  ended = by === "service";
  keep(null);
  if (by === "person") tabs.postMessage({ kind: "over" } satisfies Word);
}
