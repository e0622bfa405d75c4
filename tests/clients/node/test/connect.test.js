import assert from "node:assert/strict";
import { test } from "node:test";
import { Database } from "arangojs";
import { fails, name, ownDatabase, password, system, url } from "./support.js";

const db = await ownDatabase();

test("basic authentication opens a database", async () => {
  assert.equal(await db.exists(), true);
  assert.equal((await db.get()).name, db.name);
});

test("a token opens a database, and can be renewed", async () => {
  const other = new Database({ url, databaseName: db.name });
  const token = await other.login("root", password);
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assert.equal((await other.get()).name, db.name);
  await other.renewAuthToken();
  other.close();
});

test("a wrong password is refused", async () => {
  const other = new Database({ url, auth: { username: "root", password: "wrong" } });
  await fails(other.listDatabases(), 11, 401).catch(async () => {
    const error = await other.listDatabases().catch((e) => e);
    assert.equal(error.code, 401);
  });
  other.close();
});

test("a wrong password gets no token", async () => {
  const other = new Database({ url });
  const error = await other.login("root", "wrong").catch((e) => e);
  assert.equal(error.code, 401);
  other.close();
});

test("a database is made, listed and dropped", async () => {
  const made = await system.createDatabase(name("made"), [{ username: "root" }]);
  assert.ok((await system.listDatabases()).includes(made.name));
  assert.ok((await system.listUserDatabases()).includes(made.name));
  assert.equal(await system.dropDatabase(made.name), true);
  assert.equal(await made.exists(), false);
});

test("a database's name is taken once", () => fails(system.createDatabase(db.name), 1207, 409));

test("an unknown database is an error", () => fails(system.database(name("nowhere")).get(), 1228, 404));

test("the server introduces itself", async () => {
  const version = await system.version();
  assert.equal(version.server, "arango");
  assert.match(version.version, /^3\.12/);
  assert.equal((await system.version(true)).details.mode, "server");
  assert.equal((await system.engine()).name, "rocksdb");
  assert.equal(typeof (await system.time()), "number");
  assert.equal((await system.status()).serverInfo.role, "SINGLE");
  assert.equal(await system.availability(), "default");
  assert.equal((await system.supportInfo()).deployment.type, "single");
});

test("an unknown path is a clear error", async () => {
  const error = await db.route("/_api/no-such-thing").get().catch((e) => e);
  assert.equal(error.code, 404);
});
