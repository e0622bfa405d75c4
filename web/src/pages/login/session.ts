/** Logging in and out. */
import { api, ask, detail } from "../../api/client";
import { begin, current, end } from "../../api/session.svelte";

/** What a login answers: a session, or a token with which a new password must be set first. */
type Entry = { kind: "session" } | { kind: "new-password"; token: string; userKey: string };

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Logs in. With a one-time password no session begins: a new password has to be chosen. */
export async function enter(username: string, password: string): Promise<Entry> {
  const answer = await ask(
    api.POST("/auth", { body: { username, password, scope: "" }, headers: { "Content-Type": "application/x-www-form-urlencoded" } }),
  );
  const { action, user_key: userKey } = answer.detail as { action: string; user_key: string };
  const token = answer.access_token ?? "";
  if (action === "reset_password") return { kind: "new-password", token, userKey };
  const opened = await detail<{ session_key: string; name: string | null; surname: string | null }>(
    api.POST("/session", { body: { user_key: userKey }, headers: bearer(token) }),
  );
  const { scopes } = await ask(api.GET("/explore/scopes", { headers: bearer(token) }));
  const name = [opened.name, opened.surname].filter(Boolean).join(" ") || username;
  begin({ token, userKey, sessionKey: opened.session_key, name, scopes });
  return { kind: "session" };
}

/** Sets the new password that a one-time password asks for. */
export async function renew(userKey: string, token: string, newPassword: string): Promise<void> {
  await ask(
    api.PUT("/user/{user_key}/password", { params: { path: { user_key: userKey } }, body: { new_password: newPassword }, headers: bearer(token) }),
  );
}

/** Logs out. The page is left at once; that the service cannot be told then keeps nobody in. */
export async function leave(): Promise<void> {
  const session = current();
  if (!session) return;
  const told = api.DELETE("/session/{session_key}", {
    params: { path: { session_key: session.sessionKey } },
    headers: bearer(session.token),
  });
  end("person");
  await told.catch(() => undefined);
}
