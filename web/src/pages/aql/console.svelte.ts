import { asProblem, type Problem } from "../../api/problem";
import { uuid } from "../../lib/uuid";
import { parametersOf, valueOf } from "./binds";
import { run, stop, type Answer } from "./load";
import { shelf } from "./saved.svelte";

const FIRST = "FOR serial IN Serial\n  FILTER serial.product_key == @product\n  SORT serial.created DESC\n  LIMIT 20\n  RETURN { code: serial.code, created: serial.created, released: serial.released }";

/** A query being worked on: its text and parameters, whether it runs, and what came of it. */
export class Console {
  text = $state(shelf.history[0]?.query ?? FIRST);
  binds = $state<Record<string, string>>({ ...(shelf.history[0]?.binds ?? { product: "ebike" }) });
  limit = $state(1000);
  profile = $state(false);
  running = $state<string | null>(null);
  answer = $state.raw<Answer | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** Whether the answer is of a plan alone. */
  explained = $state(false);

  get names(): string[] {
    return parametersOf(this.text);
  }

  async run(explain: boolean): Promise<void> {
    if (this.running) return;
    const id = uuid();
    this.running = id;
    this.problem = null;
    const used = Object.fromEntries(this.names.map((name) => [name, this.binds[name] ?? ""]));
    const values = Object.fromEntries(Object.entries(used).map(([name, text]) => [name, name.startsWith("@") ? text : valueOf(text)]));
    shelf.remember(this.text, used);
    try {
      this.answer = await run({ query: this.text, binds: values, limit: this.limit, profile: this.profile, explain }, id);
      this.explained = explain;
    } catch (error) {
      this.problem = asProblem(error);
      this.answer = null;
    }
    this.running = null;
  }

  async stop(): Promise<void> {
    if (this.running) await stop(this.running);
  }

  /** Takes up a query that was run or kept before. */
  take(query: string, binds: Record<string, string>): void {
    this.text = query;
    this.binds = { ...this.binds, ...binds };
  }
}
