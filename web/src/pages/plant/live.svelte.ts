import { onDestroy } from "svelte";
import { listen, type Topic } from "../../api/live";
import { may } from "../../api/session.svelte";
import { Loaded } from "../../lib/loaded.svelte";

/** Events come in bursts: a pause after the first gathers those of one action. */
const PAUSE_MS = 300;

/** Data that is loaded anew whenever a topic tells of something; null when the caller may not see it. */
export function kept<T>(scopes: string[], topic: Topic, load: (signal: AbortSignal) => Promise<T>): Loaded<T> | null {
  if (!scopes.every(may)) return null;
  const loaded = new Loaded<T>();
  void loaded.run(load);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const renew = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void loaded.run(load, true);
    }, PAUSE_MS);
  };
  const stop = listen(topic, renew, renew);
  onDestroy(() => {
    stop();
    clearTimeout(timer);
    loaded.stop();
  });
  return loaded;
}
