// On which basis a deletion rests, as its request states (contract, section 7). It changes nothing about the deletion.

/** The stated bases, and what people read. The first six are those of Article 17(1) GDPR. */
export const deletionBases = {
  no_longer_necessary: "no longer necessary, Article 17(1)(a) GDPR",
  consent_withdrawn: "consent withdrawn, Article 17(1)(b) GDPR",
  objection: "objection, Article 17(1)(c) GDPR",
  unlawful_processing: "unlawful processing, Article 17(1)(d) GDPR",
  legal_obligation: "legal obligation to erase, Article 17(1)(e) GDPR",
  child_services: "services offered to a child, Article 17(1)(f) GDPR",
  contract_ended: "the contract has ended",
  retention_rule: "a retention rule",
  court_or_authority: "order of a court or an authority",
  other: "another basis",
} as const;

export type DeletionBasis = keyof typeof deletionBases;

export const deletionBasisNames = Object.keys(deletionBases) as readonly DeletionBasis[];

/** What people read of a deletion whose request stated none. */
export const noBasis = "not stated";

export function describeBasis(basis: DeletionBasis | undefined): string {
  return basis === undefined ? noBasis : deletionBases[basis];
}
