/** What a station shows: the jobs of a person, and one job with its batch. */
import { api, ask, detail, type Schema } from "../../api/client";
import { current } from "../../api/session.svelte";

export interface JobLine {
  _key: string; wo_code: string; product_code: string | null; product_description: string | null; phase_alias: string | null;
  stage: string; active: boolean; progress: number; qt_completed: number; qt_planned: number; due_by: string | null;
}

export interface Assignment {
  mine: JobLine[];
  free: JobLine[];
}

export async function assignment(signal: AbortSignal): Promise<Assignment> {
  const answer = await detail<{ assigned_jobs_by_operator: { assigned_jobs: JobLine[] }[]; unassigned_jobs: JobLine[] }>(
    api.GET("/job-assignment", { params: { query: { user_key: current()?.userKey ?? "" } }, signal }),
  );
  return { mine: answer.assigned_jobs_by_operator[0]?.assigned_jobs ?? [], free: answer.unassigned_jobs };
}

export interface Field { _key: string; custom_field_key: string; label: string; hint: string | null; mandatory: boolean; multiple: boolean; type: string; options: { _key: string; value: string }[] }
export interface Step { _key: string; title: string; description: string | null; fields: Field[]; done: boolean; values: Record<string, unknown> }
export interface Component { key: string; code: string; description: string | null; quantity: number; declared: { _key: string; code: string | null; parent_serial_key: string | null }[] }
export interface Unit { key: string; code: string }

export interface Job extends JobLine {
  wo_key: string; phase_key: string; product_key: string; first_phase: boolean; traceability_level: string | null; assigned_to: string | null;
  active_batch_key: string | null; active_batch_qt: number; parameters: { production_batch_qt?: number | null; step_check?: boolean | null };
}

export interface Station {
  job: Job;
  steps: Step[];
  components: Component[];
  units: Unit[];
  /** Serials that wait for this phase, when there is no batch. */
  waiting: Unit[];
}

interface StoredJob extends Job {
  step_sequence: { _key: string; title: string | null; description: string | null; form_fields: Schema["FormFieldDefinition"][] | null }[];
  wo_bom: { component_key: string; component_code: string | null; component_description: string | null; qt: number | null; phase_key: string | null; traceability_level: string | null; declared_serials: Component["declared"] }[];
}
interface StoredBatch { step_data: { _key: string; done: boolean; form_data: { form_field_key: string; value: unknown }[] }[] }

const units = (rows: Schema["SerialSelection"][]): Unit[] => rows.flatMap(({ serial_key, serial_code }) => (serial_key ? [{ key: serial_key, code: serial_code ?? serial_key }] : []));

export async function station(jobKey: string, signal: AbortSignal): Promise<Station> {
  const [job, fields] = await Promise.all([
    detail<StoredJob>(api.GET("/job/{job_key}", { params: { path: { job_key: jobKey } }, signal })),
    ask(api.GET("/field", { signal })),
  ]);
  const batchKey = job.active_batch_key;
  const [batch, serials, waiting] = await Promise.all([
    batchKey ? detail<StoredBatch>(api.GET("/batch/{batch_key}", { params: { path: { batch_key: batchKey } }, signal })) : null,
    batchKey ? ask(api.GET("/batch/{batch_key}/serials", { params: { path: { batch_key: batchKey } }, signal })) : [],
    !batchKey && job.traceability_level && !job.first_phase ? ask(api.GET("/wip-serial", { params: { query: { wo_key: job.wo_key, phase_key: job.phase_key } }, signal })) : [],
  ]);
  const types = new Map(fields.map((field) => [field._key ?? "", field.type as string]));
  const choices = await options(job, types, signal);
  return {
    job, units: units(serials), waiting: units(waiting),
    steps: job.step_sequence.map((step) => stepOf(step, batch, types, choices)),
    components: job.wo_bom
      .filter((line) => line.phase_key === job.phase_key && line.traceability_level)
      .map((line) => ({ key: line.component_key, code: line.component_code ?? line.component_key, description: line.component_description, quantity: (line.qt ?? 0) * job.active_batch_qt, declared: line.declared_serials })),
  };
}

/** The values of every choice that the steps ask for. */
async function options(job: StoredJob, types: Map<string, string>, signal: AbortSignal): Promise<Map<string, Field["options"]>> {
  const keys = job.step_sequence.flatMap((step) => step.form_fields ?? []).map((field) => field.custom_field_key).filter((key) => types.get(key) === "choice");
  const lists = await Promise.all([...new Set(keys)].map(async (key) => {
    const rows = await ask(api.GET("/list", { params: { query: { field_key: key, limit: 1000 } }, signal }));
    return [key, rows.map((row) => ({ _key: row._key ?? "", value: row.value ?? "" }))] as const;
  }));
  return new Map(lists);
}

function stepOf(step: StoredJob["step_sequence"][number], batch: StoredBatch | null, types: Map<string, string>, choices: Map<string, Field["options"]>): Step {
  const recorded = batch?.step_data.find((entry) => entry._key === step._key);
  return {
    _key: step._key, title: step.title ?? step._key, description: step.description, done: recorded?.done ?? false,
    values: Object.fromEntries((recorded?.form_data ?? []).map(({ form_field_key, value }) => [form_field_key, value])),
    fields: (step.form_fields ?? []).filter((field) => !field.hidden).map((field) => ({
      _key: field._key ?? field.custom_field_key, custom_field_key: field.custom_field_key, label: field.label ?? field.custom_field_key, hint: field.hint ?? null,
      mandatory: field.mandatory ?? false, multiple: field.multiple ?? false, type: types.get(field.custom_field_key) ?? "text", options: choices.get(field.custom_field_key) ?? [],
    })),
  };
}

/** Puts the files of a step where the service looks for them when the batch is completed. */
export async function upload({ wo_key, active_batch_key }: Job, stepKey: string, field: Field, files: File[]): Promise<void> {
  const form = new FormData();
  for (const file of files) form.append("contents", file);
  form.append("bucket", "traceability");
  form.append("object_key", wo_key);
  form.append("subfolder", [active_batch_key, stepKey, field.custom_field_key, field._key].join("/"));
  await ask(api.POST("/files", { body: form as never, bodySerializer: (body) => body as never }));
}
