// Callers who come by an access token of a sign-in provider, where one is trusted.
import { type CallerKind, callerKinds, owner, superuser } from './callers.ts';

/** The same person, by an access token of a sign-in provider. */
const byProvider = (kind: CallerKind): CallerKind => ({
  name: `a provider's token of ${kind.name}`,
  async prepare(scene) {
    const prepared = await kind.prepare(scene);
    const user_id = prepared.caller?.user_id ?? 0;
    const token = await scene.providerToken?.(user_id);
    if (token === undefined) throw new Error('No provider is trusted here.');
    return { ...prepared, call: { token }, caller: { user_id, via: 'provider_token' } };
  },
});

/** Of every kind. */
export const everyCaller: readonly CallerKind[] = [
  ...callerKinds,
  byProvider(owner('the owner')),
  byProvider(superuser),
];
