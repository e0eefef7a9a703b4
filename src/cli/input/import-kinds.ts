// The kinds of option that only an import has.

import { readMapItems } from "../../bulk/import/mapping.ts";
import { withoutTrailing } from "../../basics/without-trailing.ts";
import type { Kind } from "../command.ts";
import { kind } from "./kinds.ts";

export const mapItems: Kind<ReturnType<typeof readMapItems>> = {
  placeholder: "MAP",
  read: readMapItems,
};

/** An origin, with or without a path, and without a slash at the end. It must not contain a credential. */
export const baseUrl = kind(
  "URL",
  "the address of a Sluice server, such as https://sluice.example.com, without a user, a query or a fragment",
  (given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isPlain =
      url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
    return isPlain && /^https?:$/.test(url.protocol) ? withoutTrailing(given, "/") : undefined;
  },
);

export const delimiter = kind("CHAR", "one character, such as ; or |, or the word tab", (given) => {
  const sign = given === "tab" || given === "\\t" ? "\t" : given;
  return sign.length === 1 && !/["\r\n\w]/.test(sign) ? sign : undefined;
});
