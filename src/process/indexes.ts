// All indexes that are derived from records: that of the core, and those of features.

import { type DerivedIndex, partyIndex } from "../actions/upkeep/build-indexes.ts";
import { loadParts } from "./load-parts.ts";

const parts = await loadParts((feature) => feature.index);

export const indexes: readonly DerivedIndex[] = [partyIndex, ...parts.map(({ index }) => index)];
