import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { asProblem, type Problem } from "../../../api/problem";
import { hierarchy, partsOf, usersOf, type Links } from "./load";

/** A unit in the genealogy, or the place of one that is expected and missing (`serialKey` null). */
export interface Unit {
  id: string;
  serialKey: string | null;
  code: string | null;
  productKey: string | null;
  productCode: string | null;
  description: string | null;
  /** Nothing contains it. */
  top?: boolean;
}

/** That one unit contains another. */
export interface Link {
  parent: string;
  child: string;
  replaced: boolean;
  confirmed: boolean;
  extra: boolean;
}

export type Direction = "down" | "up";

/** Serials asked about at once when a whole level is opened. */
const AT_ONCE = 6;
/** Serials that one press opens at most; a second press opens the next ones. */
const PER_PRESS = 120;

/** What is known of a serial's genealogy and what of it is shown. Tree and graph draw the same. */
export class Genealogy {
  readonly units = new SvelteMap<string, Unit>();
  readonly links: Record<Direction, SvelteMap<string, Links>> = { down: new SvelteMap(), up: new SvelteMap() };
  readonly open: Record<Direction, SvelteSet<string>> = { down: new SvelteSet(), up: new SvelteSet() };
  readonly busy = new SvelteSet<string>();
  problem = $state.raw<Problem | null>(null);
  /** Counts the times that much was opened at once, after which a drawing shows all of it. */
  unfolded = $state(0);

  constructor(readonly root: string) {}

  /** Loads what lies below, and the direct users. What was open stays open. */
  async load(signal?: AbortSignal): Promise<void> {
    const [{ self, below }, users] = await Promise.all([hierarchy(this.root, signal), usersOf(this.root)]);
    const again = { down: this.#askedAgain("down", below), up: this.#askedAgain("up", new Map([[this.root, users]])) };
    this.units.set(self.id, self);
    this.links.down.clear();
    this.links.up.clear();
    for (const [id, links] of below) this.#put("down", id, links);
    this.#put("up", this.root, users);
    this.open.down.add(this.root);
    this.open.up.add(this.root);
    await Promise.all([...again.down.map((id) => this.follow("down", id)), ...again.up.map((id) => this.follow("up", id))]);
    if (!this.links.down.has(this.root)) await this.follow("down", this.root);
  }

  #askedAgain(direction: Direction, known: Map<string, Links>): string[] {
    return [...this.open[direction]].filter((id) => !known.has(id) && this.links[direction].has(id)).slice(0, PER_PRESS);
  }

  #put(direction: Direction, id: string, links: Links): void {
    for (const { unit } of links.links) this.units.set(unit.id, { ...this.units.get(unit.id), ...unit });
    this.links[direction].set(id, links);
  }

  /** Asks for the links of a unit, or for the next page of them. */
  async follow(direction: Direction, id: string): Promise<void> {
    const unit = this.units.get(id);
    if (!unit?.serialKey || this.busy.has(id)) return;
    this.busy.add(id);
    try {
      const known = this.links[direction].get(id);
      const found = direction === "down" ? await partsOf(unit.serialKey) : await usersOf(unit.serialKey, known?.next ?? 0);
      const links = known?.next === undefined ? found.links : [...known.links, ...found.links];
      this.#put(direction, id, found.next === undefined ? { links } : { links, next: found.next });
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error);
    }
    this.busy.delete(id);
  }

  /** Whether something may be behind a unit in a direction. */
  canOpen(direction: Direction, id: string): boolean {
    const unit = this.units.get(id);
    if (!unit?.serialKey || (direction === "up" && unit.top)) return false;
    const known = this.links[direction].get(id);
    return !known || known.links.length > 0;
  }

  async expand(direction: Direction, id: string): Promise<void> {
    if (!this.links[direction].has(id)) await this.follow(direction, id);
    this.open[direction].add(id);
  }

  collapse(direction: Direction, id: string): void {
    this.open[direction].delete(id);
  }

  /** Opens every shown unit that is still closed. */
  async level(direction: Direction): Promise<void> {
    const closed = [...this.shown(direction)].filter((id) => !this.open[direction].has(id) && this.canOpen(direction, id)).slice(0, PER_PRESS);
    for (let at = 0; at < closed.length; at += AT_ONCE) {
      await Promise.all(closed.slice(at, at + AT_ONCE).map((id) => this.expand(direction, id)));
    }
    this.unfolded += 1;
  }

  /** Opens everything that is known already. */
  all(direction: Direction): void {
    for (const id of this.links[direction].keys()) this.open[direction].add(id);
    this.unfolded += 1;
  }

  /** The units in sight in a direction, the root first; each once, so a loop in the data ends. */
  shown(direction: Direction): Set<string> {
    const seen = new Set([this.root]);
    for (const id of seen) {
      if (!this.open[direction].has(id)) continue;
      for (const { unit } of this.links[direction].get(id)?.links ?? []) seen.add(unit.id);
    }
    return seen;
  }
}
