// The syntax of systemd's units: sections, settings, comments and continued lines. Does not know which values are
// valid.

import type { TextFile } from "../../repository/tree.ts";

const sections: ReadonlySet<string> = new Set(["Unit", "Service", "Timer", "Install"]);

/** Settings that may be repeated: later ones add to earlier ones. */
const lists: ReadonlySet<string> = new Set(["SystemCallFilter", "Environment", "After", "Wants"]);

export function findUnitErrors({ path, text }: TextFile): readonly string[] {
  const errors: string[] = [];
  const seen = new Set<string>();
  let section = "";
  for (const [index, line] of joined(text).entries()) {
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name] = /^([A-Z]\w+)=/.exec(line) ?? [];
    const report = (why: string) => errors.push(`${path}: statement ${index + 1}: ${why}`);
    if (line === "" || /^[#;]/.test(line)) continue;
    if (title !== undefined) {
      section = title;
      if (!sections.has(title)) report(`there is no section ${title}`);
      continue;
    }
    if (name === undefined) report(`"${line}" is not a setting`);
    else if (section === "") report(`${name} is outside a section`);
    else if (seen.has(`${section} ${name}`) && !lists.has(name)) report(`${name} is repeated`);
    seen.add(`${section} ${name ?? ""}`);
  }
  return errors;
}

/** A backslash at the end of a line continues it. */
function joined(text: string): readonly string[] {
  return text.replace(/\\\n\s*/g, " ").split("\n");
}
