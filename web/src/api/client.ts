/** The one door to the service: every call of the explorer goes through the client made from the OpenAPI document. */
import createClient from "openapi-fetch";
import { Problem, problemOf } from "./problem";
import type { components, paths } from "./schema";
import { current, end } from "./session.svelte";

export type Schema = components["schemas"];

/** The API lies beside the page, wherever a proxy may have put both. */
export const base = new URL(".", location.href).href.replace(/\/$/, "");

export const api = createClient<paths>({ baseUrl: base });

api.use({
  onRequest({ request }) {
    const session = current();
    if (session && !request.headers.has("Authorization")) request.headers.set("Authorization", `Bearer ${session.token}`);
    return request;
  },
  onResponse({ request, response }) {
    const session = current();
    if (response.status === 401 && session && request.headers.get("Authorization") === `Bearer ${session.token}`) end("service");
    return undefined;
  },
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer; every other outcome is thrown as a `Problem`. */
export async function ask<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemOf(response.status, error);
  return data as T;
}

/** The `detail` of an answer in the envelope, which the document leaves open, in the form its reader names. */
export async function detail<T>(call: Promise<Answer<{ detail?: unknown }>>): Promise<T> {
  return (await ask(call)).detail as T;
}

/** A file below `/media/`, which is no operation of the document. Its parts are names, never a path of their own. */
export async function file(parts: string[], signal?: AbortSignal): Promise<Blob> {
  const get = api.GET as unknown as (path: string, init: object) => Promise<Answer<Blob>>;
  const blob = await ask(get(`/media/${parts.map(encodeURIComponent).join("/")}`, { parseAs: "blob", signal }));
  if (!(blob instanceof Blob)) throw new Problem(404, "");
  return blob;
}
