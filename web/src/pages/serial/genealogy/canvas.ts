import cytoscape, { type Core } from "cytoscape";

interface Hands {
  choose: (id: string | null) => void;
  open: (id: string) => void;
}

/** Cytoscape asks for a style element of its own, which the page's policy forbids; it asks for none when one of this name is there. */
const OWN_SHEET = "__________cytoscape_stylesheet";

/** A canvas for thousands of units: while it is moved, it shows pictures of itself. */
export function start(container: HTMLElement, { choose, open }: Hands): Core {
  if (!document.getElementById(OWN_SHEET)) {
    const marker = document.createElement("meta");
    marker.id = OWN_SHEET;
    document.head.append(marker);
  }
  const graph = cytoscape({
    container, layout: { name: "preset" }, minZoom: 0.02, maxZoom: 3,
    textureOnViewport: true, hideEdgesOnViewport: false, autoungrabify: true, boxSelectionEnabled: false,
  });
  graph.on("tap", "node", ({ target }) => choose(target.id()));
  graph.on("dbltap", "node", ({ target }) => open(target.id()));
  graph.on("tap", (event) => {
    if (event.target === graph) choose(null);
  });
  return graph;
}
