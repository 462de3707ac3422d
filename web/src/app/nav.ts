// The fixed entries of the navigation, as data. Servers are listed under them from the estate.
import type { ComponentType } from 'react';
import { ClusterIcon, ProbeIcon, ServerIcon } from '../ui/icons.ts';

export interface NavEntry {
  title: string;
  path: string;
  icon: ComponentType<{ size: number }>;
}

export const NAV: readonly NavEntry[] = [
  { title: 'Estate', path: '/', icon: ServerIcon },
  { title: 'Clusters', path: '/clusters', icon: ClusterIcon },
  { title: 'Probes', path: '/probes', icon: ProbeIcon },
];
