/** Where the genealogy comes from: the hierarchy of a serial, and single links asked for on demand. */
import { api, ask, type Schema } from "../../../api/client";
import type { Unit, Link } from "./model.svelte";

type TreeNode = Schema["SerialTreeNode"];

/** Links of one serial in one direction; `next` is where the rest begins. */
export interface Links {
  links: { unit: Unit; link: Link }[];
  next?: number;
}

/** Direct users asked for at once. */
const PAGE = 200;

const unitOf = (row: { serial_key?: string | null; serial_code?: string | null; product_key?: string | null; product_code?: string | null; product_description?: string | null }, id: string): Unit => ({
  id,
  serialKey: row.serial_key ?? null,
  code: row.serial_code ?? null,
  productKey: row.product_key ?? null,
  productCode: row.product_code ?? null,
  description: row.product_description ?? null,
});

/** What lies below a serial, by the key of each unit whose parts are known. */
export async function hierarchy(serialKey: string, signal?: AbortSignal): Promise<{ self: Unit; below: Map<string, Links> }> {
  const [root] = await ask(api.GET("/serial-hierarchy", { params: { query: { serial_key: serialKey } }, signal: signal ?? null }));
  const self = root && within(root, serialKey);
  if (!self) {
    const { code, product_key } = await ask(api.GET("/serial/{serial_key}", { params: { path: { serial_key: serialKey } }, signal: signal ?? null }));
    return { self: unitOf({ serial_key: serialKey, serial_code: code, product_key }, serialKey), below: new Map() };
  }
  const below = new Map<string, Links>();
  fill(self, serialKey, below, true);
  return { self: unitOf(self, serialKey), below };
}

function within(node: TreeNode, serialKey: string): TreeNode | undefined {
  if (node.serial_key === serialKey) return node;
  for (const child of node.children ?? []) {
    const found = within(child, serialKey);
    if (found) return found;
  }
  return undefined;
}

function fill(node: TreeNode, id: string, below: Map<string, Links>, isSelf = false): void {
  // The hierarchy does not follow links that were replaced or are not confirmed: what is below them is asked for on demand.
  if (below.has(id) || (!isSelf && (node.replaced || node.confirmed === false))) return;
  if (isSelf && (node.replaced || node.confirmed === false) && !node.children?.length) return;
  const links: Links["links"] = [];
  below.set(id, { links });
  for (const child of node.children ?? []) {
    const childId = child.serial_key ?? `${id}/${child.product_key}`;
    links.push({
      unit: unitOf(child, childId),
      link: { parent: id, child: childId, replaced: child.replaced === true, confirmed: child.confirmed !== false, extra: child.extra_bom === true },
    });
    if (child.serial_key) fill(child, childId, below);
  }
}

/** The direct parts of a serial. */
export async function partsOf(serialKey: string): Promise<Links> {
  const rows = await ask(api.GET("/serial-children", { params: { query: { serial_key: serialKey } } }));
  return {
    links: rows.map((row) => ({
      unit: unitOf(row, row.serial_key),
      link: { parent: serialKey, child: row.serial_key, replaced: row.replaced === true, confirmed: row.confirmed !== false, extra: false },
    })),
  };
}

/** What contains a serial directly, a page at a time; the nearest come first, so the page ends where farther ones begin. */
export async function usersOf(serialKey: string, offset = 0): Promise<Links> {
  const rows = await ask(
    api.GET("/serial/{serial_key}/where-used", {
      params: { path: { serial_key: serialKey }, query: { include_replaced: true, limit: PAGE, offset } },
    }),
  );
  const direct = rows.filter((row) => row.depth === 1);
  const links = direct.map((row) => ({
    unit: { ...unitOf(row, row.serial_key), top: row.top_level },
    link: { parent: row.serial_key, child: serialKey, replaced: !row.current, confirmed: row.confirmed, extra: false },
  }));
  return direct.length === PAGE ? { links, next: offset + PAGE } : { links };
}
