// Names and phrases of the document that depend on a record type.

import { nounOf, type RecordType } from "../../domain/record-type.ts";

/** `TransactionCheck` for `transaction_check`. */
export function componentName({ resourceType }: RecordType): string {
  return resourceType.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `a transaction check`. */
export function oneOf(type: RecordType): string {
  const noun = nounOf(type);
  return `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
}
