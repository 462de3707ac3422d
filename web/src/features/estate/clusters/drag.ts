// Dragging with the browser's own means: what is dragged, and where it may be dropped.
import { type DragEvent, useState } from 'react';
import { type Dragged, useClusterContext } from './cluster-context.ts';

/** For what can be dragged. */
export function useDragSource(dragged: Dragged) {
  const { mayManage, drag } = useClusterContext();
  if (!mayManage) return {};
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.stopPropagation();
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData(
        'text/plain',
        dragged.kind === 'server' ? dragged.server.name : dragged.cluster.name,
      );
      drag(dragged);
    },
    onDragEnd: () => drag(undefined),
  };
}

/** For where something can be dropped. */
export function useDropTarget(accepts: (dragged: Dragged) => boolean, onDrop: (dragged: Dragged) => void) {
  const { dragged, drag } = useClusterContext();
  const [isOver, setOver] = useState(false);
  const isWelcome = dragged !== undefined && accepts(dragged);
  if (!isWelcome) return {};
  return {
    'data-welcome': true,
    'data-over': isOver || undefined,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = 'move';
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      const to = event.relatedTarget;
      if (!(to instanceof Node && event.currentTarget.contains(to))) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      drag(undefined);
      onDrop(dragged);
    },
  };
}
