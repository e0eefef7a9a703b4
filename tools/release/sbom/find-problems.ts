// Validates a bill of materials: by the official JSON schema of CycloneDX 1.6, and by what a schema can't express, that
// references lead somewhere.

import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import type { Sbom } from "./document.ts";

const folder = "../../../node_modules/@cyclonedx/cyclonedx-library/res/schema/";

export function findSbomProblems(sbom: Sbom): readonly string[] {
  const validate = schemaValidator();
  if (!validate(sbom)) {
    return (validate.errors ?? []).map(({ instancePath, message = "is invalid" }) =>
      `SBOM: ${instancePath} ${message}`.trim(),
    );
  }
  return findBrokenReferences(sbom);
}

function findBrokenReferences({ metadata, components, dependencies }: Sbom): readonly string[] {
  const refs = new Set([metadata.component, ...components].map((one) => one["bom-ref"]));
  const named = dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
  const broken = new Set(named.filter((ref) => !refs.has(ref)));
  const described = new Set(dependencies.map(({ ref }) => ref));
  const missing = components.filter(({ purl, ...one }) => {
    return purl?.startsWith("pkg:npm/") === true && !described.has(one["bom-ref"]);
  });
  return [
    ...[...broken].map((ref) => `SBOM: ${ref} is referred to, but not listed.`),
    ...missing.map((one) => `SBOM: ${one["bom-ref"]} has no dependencies, not even none.`),
  ];
}

let made: ValidateFunction | undefined;

function schemaValidator(): ValidateFunction {
  if (made !== undefined) return made;
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addFormat("date-time", (text) => !Number.isNaN(Date.parse(text)) && text.includes("T"));
  ajv.addFormat("uri", (text) => URL.canParse(text));
  ajv.addFormat("idn-email", /^[^@\s]+@[^@\s]+$/);
  ajv.addFormat("iri-reference", (text) => URL.canParse(text, "https://sluice.invalid"));
  for (const name of ["spdx", "jsf-0.82"]) {
    ajv.addSchema(readSchema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  made = ajv.compile(readSchema("bom-1.6"));
  return made;
}

/** Without their own ids, because they refer to one another by the names of their files. */
function readSchema(name: string): object {
  const url = new URL(`${folder}${name}.SNAPSHOT.schema.json`, import.meta.url);
  const schema = JSON.parse(readFileSync(url, "utf8")) as { $id?: string };
  if (name !== "bom-1.6") delete schema.$id;
  return schema;
}
