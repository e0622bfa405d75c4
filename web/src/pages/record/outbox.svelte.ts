/**
 * What was entered at a station, on its way to the service. Each entry has its event key from the beginning: sent again after a
 * lost connection it is recorded once. Entries outlive the page, and only the user who made them sends them.
 */
import { openDB, type IDBPDatabase } from "idb";
import { asProblem, type Problem } from "../../api/problem";
import { current } from "../../api/session.svelte";
import { uuid } from "../../lib/uuid";
import { post, resolve } from "./post";

/** An event as it will be posted; the scanned code of a component is looked up when the service answers. */
export interface Entry {
  key: string;
  userKey: string;
  title: string;
  at: string;
  body: Record<string, unknown>;
  scan?: { code: string; componentKeys: string[] };
}

export type Outcome = { kind: "sent"; detail: unknown } | { kind: "kept" } | { kind: "refused"; problem: Problem };

const AGAIN_MS = 4000;
const STORE = "outbox";

/** A refusal is final; without an answer, or while the service is busy, an entry waits. */
const isPassing = ({ status }: Problem) => status === 0 || status === 401 || status === 429 || status >= 500;

class Outbox {
  entries = $state.raw<Entry[]>([]);
  /** What the service refused after it had been kept, to be told to the person. */
  refused = $state.raw<{ entry: Entry; problem: Problem }[]>([]);
  #database: Promise<IDBPDatabase> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending = false;
  #listeners = new Set<() => void>();

  #open(): Promise<IDBPDatabase> {
    this.#database ??= openDB("tracewright", 1, { upgrade: (database) => void database.createObjectStore(STORE, { keyPath: "key" }) });
    return this.#database;
  }

  /** Takes up what an earlier visit left, and sends whenever the network is back. */
  async start(): Promise<void> {
    const all = (await (await this.#open()).getAll(STORE)) as Entry[];
    this.entries = all.filter(({ userKey }) => userKey === current()?.userKey).sort((one, other) => one.at.localeCompare(other.at));
    addEventListener("online", () => void this.flush());
    await this.flush();
  }

  /** Called after something that was kept has been sent. */
  whenSent(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps an event, then sends it. Behind others that wait it waits too, so that the order of work is the order of events. */
  async send(title: string, body: Record<string, unknown>, scan?: Entry["scan"]): Promise<Outcome> {
    const entry: Entry = { key: uuid(), userKey: current()?.userKey ?? "", title, at: new Date().toISOString(), body: { ...body, timestamp: new Date().toISOString() }, ...(scan && { scan }) };
    await (await this.#open()).put(STORE, entry);
    const isFirst = this.entries.length === 0;
    this.entries = [...this.entries, entry];
    if (!isFirst) {
      this.#later();
      return { kind: "kept" };
    }
    return this.#deliver(entry);
  }

  async #deliver(entry: Entry): Promise<Outcome> {
    this.#sending = true;
    try {
      const detail = await post(await resolve(entry));
      await this.#remove(entry);
      return { kind: "sent", detail };
    } catch (error) {
      const problem = asProblem(error);
      if (isPassing(problem)) {
        this.#later();
        return { kind: "kept" };
      }
      await this.#remove(entry);
      return { kind: "refused", problem };
    } finally {
      this.#sending = false;
    }
  }

  async #remove(entry: Entry): Promise<void> {
    await (await this.#open()).delete(STORE, entry.key);
    this.entries = this.entries.filter(({ key }) => key !== entry.key);
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), AGAIN_MS);
  }

  /** Sends what waits, one after the other, until the connection is lost again. */
  async flush(): Promise<void> {
    if (this.#sending || !current()) return;
    for (let entry = this.entries[0]; entry; entry = this.entries[0]) {
      const outcome = await this.#deliver(entry);
      if (outcome.kind === "kept") return;
      if (outcome.kind === "refused") this.refused = [...this.refused, { entry, problem: outcome.problem }];
      this.#listeners.forEach((listener) => listener());
    }
  }

  /** The person has read it. */
  dismiss(key: string): void {
    this.refused = this.refused.filter(({ entry }) => entry.key !== key);
  }
}

export const outbox = new Outbox();
