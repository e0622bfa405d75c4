import { Problem, asProblem } from "../api/problem";

/** Data on its way: nothing yet, there, or the problem that kept it away. Drawn by `parts/Loaded.svelte`. */
export class Loaded<T> {
  data = $state.raw<T | undefined>(undefined);
  problem = $state.raw<Problem | undefined>(undefined);
  busy = $state(false);
  #turn = 0;
  #load: ((signal: AbortSignal) => Promise<T>) | undefined;
  #abort: AbortController | undefined;

  /** Loads anew; what an earlier call still brings is dropped. */
  async run(load: (signal: AbortSignal) => Promise<T>, keep = false): Promise<void> {
    this.#load = load;
    const turn = ++this.#turn;
    this.#abort?.abort();
    this.#abort = new AbortController();
    this.busy = true;
    if (!keep) {
      this.data = undefined;
      this.problem = undefined;
    }
    try {
      const data = await load(this.#abort.signal);
      if (turn !== this.#turn) return;
      this.data = data;
      this.problem = undefined;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.problem = asProblem(error);
    }
    this.busy = false;
  }

  /** The same again: after an error, or because something happened meanwhile (`keep` leaves the old data in sight). */
  again(keep = false): void {
    if (this.#load) void this.run(this.#load, keep);
  }

  /** Drops what is on its way. */
  stop(): void {
    this.#turn += 1;
    this.#abort?.abort();
    this.busy = false;
  }
}
