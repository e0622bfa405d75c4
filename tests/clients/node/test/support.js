// What the tests share: a server, a database for each file, and a check of errors by number.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after } from "node:test";
import { Database } from "arangojs";

export const url = process.env.ARANGO_URL;
export const password = process.env.ARANGO_ROOT_PASSWORD ?? "";

/** A name nothing else has. */
export const name = (prefix) => `${prefix}_${randomBytes(6).toString("hex")}`;

export const system = new Database({ url, auth: { username: "root", password } });

/** A database of the file's own, gone when its tests are. */
export async function ownDatabase() {
  const db = await system.createDatabase(name("suite"));
  after(async () => {
    await system.dropDatabase(db.name);
    db.close();
    system.close();
  });
  return db;
}

/** The promise must fail with ArangoDB's error of that number. */
export async function fails(promise, errorNum, code) {
  const error = await promise.then(
    () => assert.fail(`expected error ${errorNum}, got none`),
    (error) => error,
  );
  assert.equal(error.errorNum, errorNum, error.message);
  if (code !== undefined) assert.equal(error.code, code, error.message);
  return error;
}

export const keys = (documents) => documents.map((document) => document._key).sort();
