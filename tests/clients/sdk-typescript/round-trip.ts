// Log in, read a hierarchy, change a bill of materials and put it back: with the generated client alone.
import { strict as assert } from "node:assert";
import {
  authenticateUserAuthPost,
  getProductBomProductProductKeyBomGet,
  getSerialHierarchySerialHierarchyGet,
  updateBomProductProductKeyOrCodeBomPut,
} from "./client";
import { client } from "./client/client.gen";
import type { BomLineRead, BomLineWriteIn, SerialTreeNode } from "./client";

async function main(): Promise<void> {
  client.setConfig({ baseUrl: `${process.env.URL}/api`, throwOnError: true });

  const session = await authenticateUserAuthPost({
    body: { username: "marco", password: "tracewright-demo" },
    throwOnError: true,
  });
  client.setConfig({ auth: session.data.access_token ?? undefined });

  const tree = await getSerialHierarchySerialHierarchyGet({ query: { serial_key: "eb-1" }, throwOnError: true });
  const bike: SerialTreeNode = tree.data[0]!;
  const batteries = bike.children.filter((part) => part.product_code === "BAT-500");
  assert.deepEqual(batteries.map((battery) => battery.replaced), [true, false]);
  assert.equal(batteries[1]!.children[0]!.serial_code, "CM-2001");

  const path = { product_key_or_code: "battery" };
  const bom = async (): Promise<BomLineRead[]> =>
    (await getProductBomProductProductKeyBomGet({ path, throwOnError: true })).data;
  const replace = async (lines: BomLineRead[], extra: number): Promise<void> => {
    const body: BomLineWriteIn[] = lines.map((line) => ({
      component_key: line.component_key,
      phase_key: line.phase_key,
      qt: (line.qt ?? 0) + extra,
    }));
    await updateBomProductProductKeyOrCodeBomPut({ path, body, throwOnError: true });
  };
  const quantities = (lines: BomLineRead[]): number[] => lines.map((line) => line.qt ?? 0);

  const before = await bom();
  await replace(before, 1);
  assert.deepEqual(quantities(await bom()), quantities(before).map((quantity) => quantity + 1));
  await replace(before, 0);
  assert.deepEqual(quantities(await bom()), quantities(before));
  console.log(`typescript: hierarchy read, ${before.length} lines of a bill of materials written and put back`);
}

void main();
