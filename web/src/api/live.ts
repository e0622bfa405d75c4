/** The notification streams: what happens in the plant while a page is open. */
import { api, ask, base } from "./client";

/** A message of a stream; its event has further members. */
export interface Message {
  event_type: string;
  event_key?: string;
  serial_key?: string | null;
  serial_keys?: string[];
  work_order_key?: string | null;
  job_key?: string | null;
}

export type Topic = "serial" | "production" | "inventory" | "issue" | "task";

/** The pause before a stream that the service ended is opened anew with a fresh ticket. */
const PAUSE_MS = 3000;

/**
 * Hears of a topic until the returned function is called. A browser opens few connections to one host, so a page that
 * nobody looks at gives its own back; `missed` is called when it comes back, or when the service says that too much was missed.
 */
export function listen(topic: Topic, heard: (message: Message) => void, missed: () => void): () => void {
  let stream: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  let opening = false;
  let wasAway = false;

  async function open(): Promise<void> {
    if (over || opening || stream || document.hidden) return;
    opening = true;
    try {
      const { ticket } = await ask(api.POST("/notification/ticket", { body: { topic } }));
      if (over || document.hidden) return;
      stream = new EventSource(`${base}/notification/${topic}?ticket=${encodeURIComponent(ticket)}`);
      stream.addEventListener("open", () => {
        if (wasAway) missed();
        wasAway = true;
      });
      stream.addEventListener(topic, ({ data }: MessageEvent<string>) => {
        const message = JSON.parse(data) as Message;
        if (message.event_type === "RESYNC") missed();
        else heard(message);
      });
      stream.addEventListener("error", () => {
        if (stream?.readyState !== EventSource.CLOSED) return;
        close();
        timer = setTimeout(() => void open(), PAUSE_MS);
      });
    } catch {
      timer = setTimeout(() => void open(), PAUSE_MS);
    } finally {
      opening = false;
    }
  }

  function close(): void {
    clearTimeout(timer);
    stream?.close();
    stream = undefined;
  }

  const look = () => (document.hidden ? close() : void open());
  document.addEventListener("visibilitychange", look);
  void open();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", look);
    close();
  };
}
