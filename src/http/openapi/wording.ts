// Names and phrases of the document that depend on a record type.

import { nounOf, type RecordType } from "../../domain/record-type.ts";
import { withArticle } from "../../domain/validation/explain.ts";

/** `TransactionCheck` for `transaction_check`. */
export function componentName({ resourceType }: RecordType): string {
  return resourceType.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `a transaction check`. */
export function oneOf(type: RecordType): string {
  return withArticle(nounOf(type));
}
