//! What a step looks like in the frame: vertex, edge and path.

use super::graph::edge_document;
use super::walk::{ROOT, Step, Walk, onward};
use crate::Result;
use crate::exec::context::Ctx;
use crate::value::{Object, SmolStr, Value};

impl Walk {
    /// Sets the vertex, the edge and the path variable, as far as there are any.
    pub(super) fn fill_frame(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<()> {
        if self.reads_once {
            return self.fill_frame_once(ctx, step);
        }
        if let Some(slot) = self.node.vertex {
            ctx.frame[slot] = if self.node.needs_vertices { self.vertex_document(ctx, step)? } else { Value::Null };
        }
        if let Some(slot) = self.node.edge {
            ctx.frame[slot] = if self.node.needs_edges { self.edge_document(ctx, step)? } else { Value::Null };
        }
        if let Some(slot) = self.node.path {
            ctx.frame[slot] = self.path(ctx, step)?;
        }
        Ok(())
    }

    /// The same where the documents of a step are needed for nothing else: the step does not keep them.
    fn fill_frame_once(&mut self, ctx: &mut Ctx<'_>, at: u32) -> Result<()> {
        let step = &mut self.steps[at as usize];
        if let Some(slot) = self.node.vertex {
            ctx.frame[slot] = if self.node.needs_vertices {
                let edge = step.known.as_ref().map(|edge| (edge, onward(&self.node)));
                let (document, is_end) = self.vertices.read_ahead(ctx, &self.view, &step.vertex, edge)?;
                step.is_end = Some(is_end);
                document
            } else {
                Value::Null
            };
        }
        if let Some(slot) = self.node.edge {
            ctx.frame[slot] = match (self.node.needs_edges, step.edge_document.take()) {
                (false, _) => Value::Null,
                (true, Some(document)) => document,
                (true, None) => edge_document(&self.view, &self.node.edges, step.edge)?,
            };
        }
        Ok(())
    }

    /// The document of a step's vertex, read once.
    pub(super) fn vertex_document(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<Value> {
        if let Some(document) = &self.steps[step as usize].vertex_document {
            return Ok(document.clone());
        }
        let Step { vertex, known, .. } = &self.steps[step as usize];
        let document = self.vertices.read(ctx, &self.view, vertex, known.as_ref())?;
        self.steps[step as usize].vertex_document = Some(document.clone());
        self.note(ctx, step, document.memory())?;
        Ok(document)
    }

    /// The document of a step's edge, read once; null at the start vertex.
    pub(super) fn edge_document(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<Value> {
        if let Some(document) = &self.steps[step as usize].edge_document {
            return Ok(document.clone());
        }
        let document = edge_document(&self.view, &self.node.edges, self.steps[step as usize].edge)?;
        self.steps[step as usize].edge_document = Some(document.clone());
        self.note(ctx, step, document.memory())?;
        Ok(document)
    }

    fn path(&mut self, ctx: &mut Ctx<'_>, end: u32) -> Result<Value> {
        let length = self.steps[end as usize].depth as usize;
        let mut vertices = vec![Value::Null; length + 1];
        let mut edges = vec![Value::Null; length];
        let mut weights = Vec::new();
        let mut at = end;
        for position in (0..=length).rev() {
            if self.node.needs_vertices {
                vertices[position] = self.vertex_document(ctx, at)?;
            }
            if self.node.needs_edges && position > 0 {
                edges[position - 1] = self.edge_document(ctx, at)?;
            }
            let step = &self.steps[at as usize];
            if self.node.weight.is_some() {
                weights.push(Value::float(step.weight));
            }
            if step.parent == ROOT {
                break;
            }
            at = step.parent;
        }
        let mut path = Object::default();
        path.insert(SmolStr::new_static("vertices"), Value::array(vertices));
        path.insert(SmolStr::new_static("edges"), Value::array(edges));
        if self.node.weight.is_some() {
            weights.reverse();
            path.insert(SmolStr::new_static("weights"), Value::array(weights));
        }
        Ok(Value::object(path))
    }
}
