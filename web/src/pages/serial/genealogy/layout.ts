import { hierarchy, tree } from "d3-hierarchy";
import type { Direction, Genealogy, Link } from "./model.svelte";

export interface Point {
  x: number;
  y: number;
}

/** What a graph shows: units with their places, and every link between them. */
export interface Drawing {
  points: Map<string, Point>;
  links: Link[];
}

const COLUMN = 250;
const ROW = 58;

interface Knot {
  id: string;
  children: Knot[];
}

/** Places the units in columns: what is contained to the right, where it is used to the left. Linear in the number of units. */
export function draw(genealogy: Genealogy): Drawing {
  const points = new Map<string, Point>();
  const links = new Map<string, Link>();
  for (const direction of ["down", "up"] as const) {
    const side = direction === "down" ? 1 : -1;
    const placed = tree<Knot>().nodeSize([ROW, COLUMN])(hierarchy(spanned(genealogy, direction, links)));
    placed.each(({ data, x, y }) => {
      if (!points.has(data.id)) points.set(data.id, { x: side * y, y: x });
    });
  }
  return { points, links: [...links.values()] };
}

/** Each unit once, below the first that leads to it; a unit with several parents keeps its other links as lines. */
function spanned(genealogy: Genealogy, direction: Direction, links: Map<string, Link>): Knot {
  const root: Knot = { id: genealogy.root, children: [] };
  const knots = new Map([[root.id, root]]);
  for (const knot of knots.values()) {
    if (!genealogy.open[direction].has(knot.id)) continue;
    for (const { unit, link } of genealogy.links[direction].get(knot.id)?.links ?? []) {
      links.set(`${link.parent}>${link.child}`, link);
      if (knots.has(unit.id)) continue;
      const next: Knot = { id: unit.id, children: [] };
      knots.set(unit.id, next);
      knot.children.push(next);
    }
  }
  return root;
}
