// How deliveries of every channel stand; only whoever may manage channels may ask.
import { useOperation } from '../../../api/use-operation.ts';

const EVERY_MS = 15_000;

export const useSummaries = (mayManage: boolean) =>
  useOperation('summarizeChannels', {}, { everyMs: EVERY_MS, enabled: mayManage });
