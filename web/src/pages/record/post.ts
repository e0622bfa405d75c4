/** How entries reach the service. */
import { api, ask } from "../../api/client";
import { Problem } from "../../api/problem";
import { t } from "../../lang/index.svelte";
import type { Entry } from "./outbox.svelte";

/** The event of an entry, with the scanned component by its key. */
export async function resolve({ key, body, scan }: Entry): Promise<Record<string, unknown>> {
  if (!scan) return { ...body, event_key: key };
  const found = await ask(api.GET("/serial-code", { params: { query: { serial_code: scan.code } } }));
  const fitting = found.filter(({ product_key }) => product_key && scan.componentKeys.includes(product_key));
  const serial = fitting[0];
  if (!serial) throw new Problem(422, t(found.length ? "record.otherPart" : "record.unknownPart", { code: scan.code }));
  if (fitting.length > 1) throw new Problem(422, t("record.severalParts", { code: scan.code }));
  return { ...body, event_key: key, child_serial_key: serial._key, component_key: serial.product_key };
}

/** Posts an event; the same key again answers the same. */
export async function post(event: Record<string, unknown>): Promise<unknown> {
  return (await ask(api.POST("/event", { body: event as never }))).detail;
}
