// Secrets that are in files, as container platforms provide them: `NAME_FILE` names a file whose content is the value
// of `NAME`. Never repeats the content.

import { fileReasonOf } from "../actions/operator/operator-error.ts";
import { readNamedFile } from "../files/named-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `emptyAllowed`: an empty variable counts as not set. */
export function readSecretFiles(
  variables: Environment,
  names: readonly string[],
  { emptyAllowed }: { readonly emptyAllowed: boolean },
): { readonly environment: Environment; readonly problems: readonly string[] } {
  const environment = { ...variables };
  const problems: string[] = [];
  for (const name of names) {
    const variable = `${name}_FILE`;
    const path = variables[variable] ?? "";
    const empty = [name, variable].find((one) => variables[one] === "");
    if (path !== "" && (variables[name] ?? "") !== "") {
      problems.push(`${name} and ${variable} are both set; remove one of them.`);
    } else if (path !== "") {
      const content = readSecret(variable, path);
      if (content.problem === undefined) environment[name] = content.text;
      else problems.push(content.problem);
    } else if (empty !== undefined && !emptyAllowed && (variables[name] ?? "") === "") {
      problems.push(`${empty} is set, but empty. Set its value, or remove it.`);
    }
  }
  return { environment, problems };
}

/** Editors end a file with a line break. */
function readSecret(variable: string, path: string): { text: string; problem?: string } {
  const file = `The file ${path}, which ${variable} names,`;
  try {
    const text = readNamedFile(path)
      .toString()
      .replace(/\r?\n$/, "");
    return text === "" ? { text, problem: `${file} is empty.` } : { text };
  } catch (cause) {
    return { text: "", problem: `${file} can't be read: ${fileReasonOf(cause)}.` };
  }
}
