// Log in, read a hierarchy, change a bill of materials and put it back, record what happens to a job: with the generated client
// alone.
import { strict as assert } from "node:assert";
import {
  authenticateUserAuthPost,
  copyProductProductCopyPost,
  createWorkOrderWorkOrderPost,
  getEventsEventGet,
  getProductBomProductProductKeyBomGet,
  getSerialHierarchySerialHierarchyGet,
  recordEventEventPost,
  updateBomProductProductKeyOrCodeBomPut,
  updateProcessProductProductKeyProcessPut,
} from "./client";
import { client } from "./client/client.gen";
import type { BomLineRead, BomLineWriteIn, RecordedEvent, SerialTreeNode } from "./client";

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
  const recorded = await work();
  console.log(
    `typescript: hierarchy read, ${before.length} lines of a bill of materials written and put back, ${recorded} events`,
  );
}

/** A job of a new product, and the keys of its two steps. */
async function planned(): Promise<{ job: string; steps: string[] }> {
  const copy = { original_product: "bolt", new_code: "BOLT-2" };
  const copied = await copyProductProductCopyPost({ body: copy, throwOnError: true });
  const { new_product_key: product_key } = copied.data.detail as { new_product_key: string };
  const steps = [{ title: "Turn" }, { title: "Measure" }];
  const body = [{ alias: "Turning", operation_key: "assembly", steps }];
  const phases = await updateProcessProductProductKeyProcessPut({ path: { product_key }, body, throwOnError: true });
  const order = await createWorkOrderWorkOrderPost({ body: { product_key, qt_planned: 1 }, throwOnError: true });
  return { job: order.data.detail!.jobs[0]!._key, steps: phases.data[0]!.steps.map((step) => step._key!) };
}

/** What happens to a job is recorded and read with the members of each type. */
async function work(): Promise<number> {
  const { job, steps } = await planned();
  const journal = async (): Promise<RecordedEvent[]> =>
    (await getEventsEventGet({ query: { job_key: job }, throwOnError: true })).data;
  await recordEventEventPost({ body: { event_type: "JOB_STARTED", job_key: job }, throwOnError: true });
  const created = (await journal()).flatMap((event) => (event.event_type === "BATCH_CREATED" ? [event.batch_key!] : []));
  const step = { event_type: "STEP_COMPLETED", batch_key: created[0]!, step_key: steps[0]! } as const;
  await recordEventEventPost({ body: step, throwOnError: true });
  const events = await journal();
  const done = events.flatMap((event) => (event.event_type === "STEP_COMPLETED" ? [event.step_key] : []));
  assert.deepEqual(done, [steps[0]]);
  assert.equal(events[0]!.event_type, "JOB_STARTED");
  return events.length;
}

void main();
