// Which channels are told of a server, and where that is set. Pure. Guards: the most specific place where something is set
// wins; where nothing is set, the default of the estate holds.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { ESTATE_WORDS, type ScopeRows, scopeWords } from '../../estate/overrides/scopes.ts';

export type OverrideRow = OperationTypes['listChannelOverrides']['result'][number];

export interface ChannelSetting {
  title: string;
  isTold: boolean;
}

export interface RoutedChannel {
  id: number;
  name: string;
  type: OverrideRow['channel_type'];
  /** What holds at the place that is looked at. */
  inForce: ChannelSetting;
  /** What holds there as long as nothing is set for it. */
  inherited: ChannelSetting;
  /** What is set for it. */
  set: boolean | undefined;
}

/** `scopes`: from the most general to the most specific, which is the place that is looked at. */
export function routesAt(scopes: readonly ScopeRows<OverrideRow>[]): RoutedChannel[] {
  const own = scopes.at(-1);
  if (!own) return [];
  const setAt = ({ rows }: ScopeRows<OverrideRow>, id: number) => {
    const row = rows.find(({ channel_id }) => channel_id === id);
    return row?.has_override ? (row.override_enabled ?? undefined) : undefined;
  };
  return own.rows.map(({ channel_id: id, channel_name: name, channel_type: type, is_estate_default }) => {
    const inherited = scopes.slice(0, -1).reduce<ChannelSetting>(
      (told, at) => {
        const isTold = setAt(at, id);
        return isTold === undefined ? told : { title: scopeWords(at.scope), isTold };
      },
      { title: ESTATE_WORDS, isTold: is_estate_default },
    );
    const set = setAt(own, id);
    const inForce = set === undefined ? inherited : { title: scopeWords(own.scope), isTold: set };
    return { id, name, type, inForce, inherited, set };
  });
}
