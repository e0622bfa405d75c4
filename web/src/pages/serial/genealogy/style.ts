import type { StylesheetJson } from "cytoscape";
import { colour } from "../../../lib/colours";

/** How units and links look. Dashed: replaced. Dotted: not confirmed. */
export function styles(): StylesheetJson {
  const [text, surface, line, accent, soft, bad, badSoft, warn] = ["text", "surface", "strong-line", "accent", "accent-soft", "bad", "bad-soft", "warn"].map(colour);
  return [
    {
      selector: "node",
      style: {
        shape: "round-rectangle", width: 190, height: 42, label: "data(label)", "text-wrap": "wrap", "text-max-width": "180px", "text-valign": "center",
        "font-size": 12, "font-family": "system-ui, sans-serif", color: text!, "background-color": surface!, "border-width": 1.5, "border-color": line!,
        "min-zoomed-font-size": 6,
      },
    },
    { selector: "node.root", style: { "background-color": accent!, "border-color": accent!, color: surface!, "font-weight": "bold" } },
    { selector: "node.closed", style: { "border-width": 3, "border-color": accent!, "background-color": soft! } },
    { selector: "node.missing", style: { "border-style": "dashed", "border-color": bad!, "background-color": badSoft!, color: bad! } },
    { selector: "node:selected", style: { "outline-width": 4, "outline-color": accent!, "outline-offset": 2 } },
    { selector: "edge", style: { width: 1.5, "line-color": line!, "curve-style": "taxi", "taxi-direction": "horizontal", "taxi-turn": 26, "target-arrow-shape": "triangle", "target-arrow-color": line!, "arrow-scale": 0.8 } },
    { selector: "edge.cross", style: { "curve-style": "straight", "line-opacity": 0.6 } },
    { selector: "edge.replaced", style: { "line-style": "dashed", "line-color": warn!, "target-arrow-color": warn! } },
    { selector: "edge.unconfirmed", style: { "line-style": "dotted", "line-color": accent!, "target-arrow-color": accent! } },
  ] as StylesheetJson;
}
