import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Database } from "arangojs";
import { fails, name, ownDatabase, system, url } from "./support.js";

const db = await ownDatabase();
const username = name("user");
await system.createUser(username, { passwd: "pw", active: true, extra: { team: "quality" } });
const theirs = new Database({ url, databaseName: db.name, auth: { username, password: "pw" } });
const things = await db.createCollection("things");
after(async () => {
  theirs.close();
  await system.removeUser(username);
});

test("a user is described and changed", async () => {
  const user = await system.getUser(username);
  assert.deepEqual([user.user, user.active, user.extra], [username, true, { team: "quality" }]);
  await system.updateUser(username, { extra: { team: "stores" } });
  assert.ok((await system.listUsers()).some((u) => u.user === username && u.extra.team === "stores"));
  await fails(system.createUser(username, "pw"), 1702, 409);
  await fails(system.getUser(name("nobody")), 1703, 404);
});

test("a grant opens a database, and its level is followed", async () => {
  const refused = await theirs.get().catch((e) => e);
  assert.equal(refused.code, 401);
  await system.setUserAccessLevel(username, { database: db.name }, "ro");
  assert.equal(await system.getUserAccessLevel(username, { database: db.name }), "ro");
  assert.equal((await theirs.collection("things").count()).count, 0);
  await fails(theirs.collection("things").save({}), 1004, 403);
  await system.setUserAccessLevel(username, { database: db.name }, "rw");
  await theirs.collection("things").save({});
  await system.setUserAccessLevel(username, { collection: things }, "none");
  await fails(theirs.collection("things").save({}), 11, 403);
  await system.clearUserAccessLevel(username, { database: db.name, collection: things.name });
  assert.equal((await system.getUserDatabases(username))[db.name], "rw");
});

test("an access token stands for the password until it is taken back", async () => {
  const until = Math.floor(Date.now() / 1000) + 3600;
  const made = await system.createAccessToken(username, { name: "backup", valid_until: until });
  assert.match(made.token, /^v1\./);
  assert.equal(made.valid_until, until);
  await system.setUserAccessLevel(username, { database: db.name }, "ro");
  for (const user of ["", username]) {
    const programs = new Database({ url, databaseName: db.name, auth: { username: user, password: made.token } });
    assert.ok(await programs.exists());
    assert.ok((await programs.login(user, made.token)).length > 0);
    programs.close();
  }
  assert.deepEqual(
    (await system.getAccessTokens(username)).map((token) => [token.name, "token" in token]),
    [["backup", false]],
  );
  await system.deleteAccessToken(username, made.id);
  assert.deepEqual(await system.getAccessTokens(username), []);
});
