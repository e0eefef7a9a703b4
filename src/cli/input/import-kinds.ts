// The kinds of option that only an import has.

import { withoutTrailing } from "../../domain/without-trailing.ts";
import { UsageError } from "../../actions/operator-error.ts";
import type { Kind } from "../command.ts";
import { readMapItems } from "../../bulk/import/mapping.ts";

export const mapItems: Kind<ReturnType<typeof readMapItems>> = {
  placeholder: "MAP",
  read: readMapItems,
};

/** An origin and perhaps a path, without a slash at the end; a credential has no place in it. */
export const baseUrl: Kind<string> = {
  placeholder: "URL",
  read: (given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isPlain =
      url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
    if (isPlain && /^https?:$/.test(url.protocol)) return withoutTrailing(given, "/");
    throw new UsageError(
      "It must be the address of a Sluice server, such as https://sluice.example.com, without a user, a query or a fragment.",
    );
  },
};

export const delimiter: Kind<string> = {
  placeholder: "CHAR",
  read: (given) => {
    const sign = given === "tab" || given === "\\t" ? "\t" : given;
    if (sign.length === 1 && !/["\r\n\w]/.test(sign)) return sign;
    throw new UsageError("It must be one character, such as ; or |, or the word tab.");
  },
};
