// Writes the types of the API from the OpenAPI document: `tracewright openapi | npm run api`.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(await readFile("/dev/stdin", "utf8"));
const target = process.argv[2] ?? new URL("../src/api/schema.d.ts", import.meta.url);
const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
await writeFile(target, `// Made from the OpenAPI document by \`npm run api\`; not edited by hand.\n${types}`);
