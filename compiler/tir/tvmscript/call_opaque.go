package tvmscript

import "hone/compiler/dtype"

// opaqueCalls are operators that Hone knows by name only, with the type of their
// result: of the runtime's interface, of threads and their memory, of loops.
var opaqueCalls = map[string]dtype.DType{
	"isnullptr": dtype.BoolType, "assume": dtype.BoolType, "ignore_loop_partition": dtype.BoolType,
	"undef": dtype.HandleType, "break_loop": dtype.VoidType, "continue_loop": dtype.VoidType, "thread_return": dtype.VoidType,
	"tvm_access_ptr": dtype.HandleType, "handle_add_byte_offset": dtype.HandleType, "lookup_param": dtype.HandleType,

	"filter": dtype.BoolType, "call_packed_lowered": dtype.Int32, "call_cpacked_lowered": dtype.Int32,
	"tvm_call_packed_lowered": dtype.Int32, "tvm_call_cpacked_lowered": dtype.Int32,
	"tvm_tuple": dtype.HandleType, "tvm_stack_alloca": dtype.HandleType, "tvm_stack_make_shape": dtype.HandleType, "tvm_stack_make_array": dtype.HandleType,
	"tvm_struct_set": dtype.Int32, "tvm_throw_last_error": dtype.HandleType, "TVMBackendAllocWorkspace": dtype.HandleType, "TVMBackendFreeWorkspace": dtype.Int32,
	"anylist_getitem": dtype.HandleType, "anylist_resetitem": dtype.Int32, "anylist_setitem_call_packed": dtype.Int32, "anylist_setitem_call_cpacked": dtype.Int32,
	"print_buffer": dtype.VoidType, "start_profile_intrinsic": dtype.VoidType, "end_profile_intrinsic": dtype.VoidType,

	"tvm_fill_fragment": dtype.HandleType, "tvm_load_matrix_sync": dtype.HandleType, "tvm_store_matrix_sync": dtype.HandleType,
	"tvm_mma_sync": dtype.HandleType, "tvm_bmma_sync": dtype.HandleType, "tvm_thread_allreduce": dtype.HandleType,
	"cooperative_tensor_fill": dtype.VoidType, "cooperative_tensor_load": dtype.VoidType, "cooperative_tensor_store": dtype.VoidType,
	"cooperative_tensor_multiply_accumulate": dtype.VoidType,
	"tvm_warp_activemask":                    dtype.UInt32, "tvm_kernel_replace_point": dtype.Int32, "tvm_global_barrier_kinit": dtype.VoidType,
	"masked_store": dtype.VoidType, "vscale": dtype.Int32,
}

// sameTypeAs are operators whose result has the type of the argument of that
// number.
var sameTypeAs = map[string]int{"q_multiply_shift": 0, "q_multiply_shift_per_axis": 0, "tvm_thread_invariant": 0,
	"selector": 0, "tvm_warp_shuffle": 1, "tvm_warp_shuffle_up": 1, "tvm_warp_shuffle_down": 1, "tvm_warp_shuffle_xor": 1}
